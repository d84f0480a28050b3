/**
 * What the application's class loader can see of the agent: premain, the transformer's name check,
 * the isolated class loader and the hook that woven code calls. JDK only; no logger, no NIO and no
 * JMX before a SparkContext is there.
 */
package io.sparkotel.bootstrap;

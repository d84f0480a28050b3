/**
 * Small Spark applications, one situation each, that integration tests start in JVMs of their own.
 *
 * <p>Compiled once against the oldest Spark and run on all: Java API only, no Scala collections.
 * Their call sites (file and line) are span names in the tests' expected trees.
 */
package io.sparkotel.scenarios;

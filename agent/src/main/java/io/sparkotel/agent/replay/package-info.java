/** Turns event logs into the spans that the live run sent or would have sent. Needs no Spark. */
package io.sparkotel.agent.replay;

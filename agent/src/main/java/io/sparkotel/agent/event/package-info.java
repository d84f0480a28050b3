/**
 * The neutral events: the seam between Spark and the trace model. Spark's listener objects and the
 * event log's JSON are both read into these. They are plain records, filled by their reader before
 * they are handed over and never written after; times are epoch milliseconds, null means absent.
 */
package io.sparkotel.agent.event;

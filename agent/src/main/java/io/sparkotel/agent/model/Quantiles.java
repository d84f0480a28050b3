package io.sparkotel.agent.model;

import java.util.Arrays;

/**
 * Quantiles of values of at least 0 as Spark's UI picks them: the value at index {@code (long) (q *
 * count)} of the sorted ones. Exact up to {@link #EXACT_LIMIT} values above 0; beyond, from a
 * histogram of buckets at most 1/64 wide, so that memory is bounded and the order of arrival does
 * not matter. Zeros, which most values of most stages are, are only counted.
 */
final class Quantiles {

  static final int EXACT_LIMIT = 10_000;

  private static final int SUB_BUCKET_BITS = 6;
  private static final int SUB_BUCKETS = 1 << SUB_BUCKET_BITS;

  private static final int FIRST_CAPACITY = 16;
  private static final long[] NONE = {};

  /** Those above 0; null where there is a histogram. */
  private long[] values = NONE;

  private int size;
  private boolean sorted = true;
  private int[] histogram;
  private long zeros;
  private long count;
  private long min = Long.MAX_VALUE;
  private long max;

  void add(long value) {
    count++;
    min = Math.min(min, value);
    max = Math.max(max, value);
    if (value == 0) {
      zeros++;
    } else if (histogram != null) {
      histogram[bucket(value)]++;
    } else if (size < EXACT_LIMIT) {
      if (size == values.length) {
        values = Arrays.copyOf(values, Math.max(FIRST_CAPACITY, Math.min(EXACT_LIMIT, 2 * size)));
      }
      values[size++] = value;
      sorted = false;
    } else {
      histogram = new int[bucket(Long.MAX_VALUE) + 1];
      for (int i = 0; i < size; i++) {
        histogram[bucket(values[i])]++;
      }
      histogram[bucket(value)]++;
      values = null;
    }
  }

  boolean isExact() {
    return histogram == null;
  }

  long count() {
    return count;
  }

  /** How many numbers are held. */
  int stateSize() {
    return histogram == null ? size : histogram.length;
  }

  /** 0 where there are no values. */
  long max() {
    return max;
  }

  /** The value at quantile {@code q}, from 0 to 1; there must be a value. */
  long at(double q) {
    long index = Math.min((long) (q * count), count - 1);
    if (index < zeros) {
      return 0;
    }
    if (histogram == null) {
      if (!sorted) {
        Arrays.sort(values, 0, size);
        sorted = true;
      }
      return values[(int) (index - zeros)];
    }
    if (index == 0) {
      return min;
    }
    if (index == count - 1) {
      return max;
    }
    long seen = zeros;
    for (int i = 0; i < histogram.length; i++) {
      seen += histogram[i];
      if (seen > index) {
        return Math.max(min, Math.min(max, upperBound(i)));
      }
    }
    return max;
  }

  private static int bucket(long value) {
    if (value < SUB_BUCKETS) {
      return (int) value;
    }
    int shift = 63 - Long.numberOfLeadingZeros(value) - SUB_BUCKET_BITS;
    return ((shift + 1) << SUB_BUCKET_BITS) + (int) (value >>> shift) - SUB_BUCKETS;
  }

  private static long upperBound(int bucket) {
    if (bucket < SUB_BUCKETS) {
      return bucket;
    }
    int shift = (bucket >>> SUB_BUCKET_BITS) - 1;
    long top = (bucket & (SUB_BUCKETS - 1L)) + SUB_BUCKETS;
    return ((top + 1) << shift) - 1;
  }
}

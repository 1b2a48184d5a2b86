/** Aborts when either of the signals does. */
export function anySignal(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}

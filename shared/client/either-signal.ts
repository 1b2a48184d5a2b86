/** Aborts when either of the signals does. */
export function eitherSignal(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}

/** Aborted when the first of two is; of the client and of one call. */
export function eitherSignal(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}

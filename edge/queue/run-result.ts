/**
 * Maximum size of a result that is stored in the row of its run, in characters. With a body of 1 MiB, its headers and
 * this result in UTF-8, the row is below the platform's limit of 2 MB.
 */
const IN_RUN_MAX_CHARACTERS = 64 * 1024

export function fitsInRun(result: string): boolean {
  return result.length <= IN_RUN_MAX_CHARACTERS
}

/** SQL expression for the result of a row of `runs`, wherever it is stored. */
export const RESULT =
  'coalesce(runs.result, (SELECT results.result FROM results WHERE results.sequence = runs.sequence))'

/** SQL expression for the size of the result in bytes. Does not read the result. */
export const RESULT_BYTES = `coalesce(octet_length(runs.result),
  (SELECT octet_length(results.result) FROM results WHERE results.sequence = runs.sequence), 0)`

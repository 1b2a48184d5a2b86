/** Search in the run history by values that no index contains: the text of an error, a header or a param. */
import { RUN_SEARCH_MAX_BYTES, RUN_SEARCH_MAX_RUNS } from '../../shared/limits.ts'
import type { RunSearch } from '../../shared/wire/run-search.ts'
import type { RunRecord } from '../../shared/wire/trigger.ts'

/**
 * Limits the work of one search request. The Durable Object that searches also accepts the trigger's events, and would
 * be blocked for the duration of a search.
 */
export class SearchBudget {
  #runs = RUN_SEARCH_MAX_RUNS
  #bytes = RUN_SEARCH_MAX_BYTES

  /** Number of runs that may still be read. */
  get runs(): number {
    return this.#bytes > 0 ? this.#runs : 0
  }

  spend(bytes: number): void {
    this.#runs--
    this.#bytes -= bytes
  }
}

export function needsBody(search: RunSearch): boolean {
  return search.param !== undefined
}

/** Compares with the record that the owner can read, so that masked values of headers cannot be guessed. */
export function matchesSearch({ error: failure, input }: RunRecord, search: RunSearch): boolean {
  const { error, header, param } = search
  if (error !== undefined && !failure?.toLowerCase().includes(error.toLowerCase())) return false
  if (header && memberAt(input, ['headers', header.name]) !== header.value) return false
  return !param || isScalar(memberAt(input, param.path), param.value)
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = Reflect.get(found, name)
  }
  return found
}

/** Compares strings as they are, and numbers, booleans and null by their JSON text. */
function isScalar(value: unknown, expected: string): boolean {
  if (typeof value === 'string') return value === expected
  if (value === undefined || (typeof value === 'object' && value !== null)) return false
  return JSON.stringify(value) === expected
}

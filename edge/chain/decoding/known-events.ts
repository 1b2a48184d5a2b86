import { parseEventSignature } from '../signature/parse-event-signature.ts'
import { KNOWN_DECLARATIONS } from './known-declarations.ts'

let table: ReadonlyMap<string, readonly number[]> | undefined

/**
 * Which arguments a well-known event indexes. Contracts that declare the same types with as many, but other ones indexed are not
 * known of (`reference/triggers.md`, 4.4).
 */
export function knownIndexed(topic0: string, count: number): readonly number[] | undefined {
  table ??= tableOf(KNOWN_DECLARATIONS)
  return table.get(`${topic0} ${count}`)
}

function tableOf(declarations: string): Map<string, readonly number[]> {
  const lines = declarations.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const { topic0, inputs } = parseEventSignature(line)
      const indexed = [...inputs.keys()].filter((index) => inputs[index]!.indexed)
      return [`${topic0} ${indexed.length}`, indexed]
    }),
  )
}

/**
 * Source map at the end of a built action (docs/decisions/0119-building-actions.md). It is a part of the source that
 * the CID names, so every place that runs the action can show positions in the author's files. It has no names and no
 * contents of sources.
 */
import { decode, encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec'
import { tryParseJson } from '../json/try-parse-json.ts'

const PREFIX = '//# sourceMappingURL=data:application/json;base64,'

/** Decoding the worst map of this size takes 75 ms and 45 MB. */
const BASE64_MAX_CHARACTERS = 512 * 1024

const SOURCE_MAX_CHARACTERS = 300

export type InlineMap = { sources: readonly string[]; mappings: SourceMapMappings }

/** Returns the last line of a built action, or an empty string if the map is too large. */
export function formatInlineMap({ sources, mappings }: InlineMap): string {
  const json = JSON.stringify({ version: 3, sources, names: [], mappings: encode(mappings) })
  const base64 = Buffer.from(json).toString('base64')
  return base64.length > BASE64_MAX_CHARACTERS ? '' : `${PREFIX}${base64}\n`
}

/** Reads the inline map of an untrusted source. Returns undefined if there is none, or if it is invalid. */
export function readInlineMap(code: string): InlineMap | undefined {
  const end = code.slice(-(PREFIX.length + BASE64_MAX_CHARACTERS + 2))
  const start = end.lastIndexOf(`\n${PREFIX}`)
  if (start < 0) return undefined
  const base64 = end.slice(start + 1 + PREFIX.length).trimEnd()
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  const map = tryParseJson(Buffer.from(base64, 'base64').toString()) as {
    version?: unknown
    sources?: unknown
    mappings?: unknown
  } | null
  if (map?.version !== 3 || !Array.isArray(map.sources)) return undefined
  if (typeof map.mappings !== 'string' || !map.sources.every(isSourceName)) return undefined
  return { sources: map.sources, mappings: decode(map.mappings) }
}

/**
 * Returns the position in a source, such as `src/action.ts:3:7`, or undefined if the map has none.
 * @param line 1-based
 * @param column 1-based
 */
export function originalPosition(
  { sources, mappings }: InlineMap,
  line: number,
  column: number,
): string | undefined {
  // A segment applies until the next one, and never beyond its line. A segment without a source belongs to a package.
  const segment = mappings[line - 1]?.findLast(([start]) => start < column)
  if (segment?.length !== 4 && segment?.length !== 5) return undefined
  const source = sources[segment[1]]
  return source === undefined ? undefined : `${source}:${segment[2] + 1}:${segment[3] + 1}`
}

function isSourceName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name.length <= SOURCE_MAX_CHARACTERS &&
    /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name)
  )
}

import { decode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import { formatInlineMap } from './inline-map.ts'

type SourceMap = {
  version: 3
  sources: string[]
  sourcesContent?: (string | null)[]
  names?: string[]
  mappings: string
}

export function sourcesOf(map: string): readonly string[] {
  return (JSON.parse(map) as SourceMap).sources
}

/**
 * Renames the sources of a map, and keeps only the contents of public ones. Paths in the map are relative to the project.
 */
export function renameSources(
  map: string,
  describe: (source: string) => { name: string; isPublic: boolean },
): string {
  const { version, sources, sourcesContent, mappings } = JSON.parse(map) as SourceMap
  const described = sources.map(describe)
  return JSON.stringify({
    version,
    sources: described.map(({ name }) => name),
    sourcesContent: described.map(({ isPublic }, at) =>
      isPublic ? (sourcesContent?.[at] ?? null) : null,
    ),
    names: [],
    mappings,
  })
}

/**
 * Returns the last line of a built script: a map of the given sources, without names and contents. Code of other sources is
 * mapped to nothing. The line is empty if the map is too large.
 */
export function inlineMap(map: string, included: ReadonlySet<string>): string {
  const full = JSON.parse(map) as SourceMap
  const sources: string[] = []
  const indexes = new Map<number, number>()
  const indexOf = (source: number): number | undefined => {
    const known = indexes.get(source)
    if (known !== undefined) return known
    const name = full.sources[source]!
    if (!included.has(name)) return undefined
    indexes.set(source, sources.length)
    return sources.push(name) - 1
  }
  const mappings = decode(full.mappings).map((segments) => {
    const kept: SourceMapSegment[] = []
    for (const [column, source, line, sourceColumn] of segments) {
      const index = source === undefined ? undefined : indexOf(source)
      if (index !== undefined) kept.push([column, index, line!, sourceColumn!])
      // One segment ends the previous mapping.
      else if (kept.length > 0 && kept.at(-1)!.length > 1) kept.push([column])
    }
    return kept
  })
  return formatInlineMap({ sources, mappings })
}

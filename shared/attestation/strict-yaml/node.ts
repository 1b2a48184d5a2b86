/** A YAML node. An alias refers to the same node object as its anchor, so one node can have several parents. */
export type YamlNode = YamlScalar | YamlBlockScalar | YamlList | YamlMapping | YamlEmpty

/** A plain or quoted scalar, whose YAML type is not resolved. */
export type YamlScalar = { kind: 'word'; text: string }
/** A block scalar (`|` or `>`) without its text, which no rule reads. */
type YamlBlockScalar = { kind: 'text block' }
type YamlEmpty = { kind: 'empty' }
type YamlList = { kind: 'list'; items: YamlNode[] }
export type YamlMapping = {
  kind: 'mapping'
  entries: YamlEntry[]
  merged: YamlMapping[]
}
export type YamlEntry = { line: number; key: string; value: YamlNode }

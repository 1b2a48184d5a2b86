/**
 * Node of a parsed YAML document. An alias refers to the same node object as its anchor, so one node can have several
 * parents.
 */
export type Node = Word | TextBlock | List | Mapping | Empty

/** A plain or quoted scalar. Its type (number, boolean or null) is not resolved. */
export type Word = { kind: 'word'; text: string }
/** A block scalar (`|` or `>`). Its text is not stored, because no rule reads it. */
export type TextBlock = { kind: 'text block' }
export type Empty = { kind: 'empty' }
export type List = { kind: 'list'; items: Node[] }
export type Mapping = {
  kind: 'mapping'
  entries: Entry[]
  /** Mappings that the key `<<` merges into this mapping. */
  merged: Mapping[]
}
export type Entry = { line: number; key: string; value: Node }

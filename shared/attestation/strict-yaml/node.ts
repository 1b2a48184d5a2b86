/** An alias refers to the same node object as its anchor, so one node can have several parents. */
export type Node = Word | TextBlock | List | Mapping | Empty

/** A plain or quoted scalar. Its type is not resolved. */
export type Word = { kind: 'word'; text: string }
/** A block scalar (`|` or `>`) without its text, which no rule reads. */
export type TextBlock = { kind: 'text block' }
export type Empty = { kind: 'empty' }
export type List = { kind: 'list'; items: Node[] }
export type Mapping = {
  kind: 'mapping'
  entries: Entry[]
  /** Merged by the key `<<`. */
  merged: Mapping[]
}
export type Entry = { line: number; key: string; value: Node }

/** A document's tree. An alias is the same node object as its anchor, so one node can have several parents. */
export type Node = Word | TextBlock | List | Mapping | Empty

/** A plain or quoted scalar. Its type (number, boolean, null) is not resolved. */
export type Word = { kind: 'word'; text: string }
/** A block scalar (`|` or `>`). No rule reads its text, so it is not kept. */
export type TextBlock = { kind: 'text block' }
export type Empty = { kind: 'empty' }
export type List = { kind: 'list'; items: Node[] }
export type Mapping = {
  kind: 'mapping'
  entries: Entry[]
  /** Mappings merged by the key `<<`. */
  merged: Mapping[]
}
export type Entry = { line: number; key: string; value: Node }

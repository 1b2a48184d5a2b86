/** The tree of a document. An alias is the node that it names, so one node can stand in several places. */
export type Node = Word | TextBlock | List | Mapping | Empty

/** A plain or quoted scalar; its type (number, boolean, null) is not resolved. */
export type Word = { kind: 'word'; text: string }
/** A block scalar (`|` or `>`). Its text is never judged, so it is not kept. */
export type TextBlock = { kind: 'text block' }
export type Empty = { kind: 'empty' }
export type List = { kind: 'list'; items: Node[] }
export type Mapping = {
  kind: 'mapping'
  entries: Entry[]
  /** Mappings named by the merge key `<<`. */
  merged: Mapping[]
}
export type Entry = { line: number; key: string; value: Node }

import { type Block, blocksOf, pages } from './blocks.ts'
import { ELSEWHERE, isOf } from './elsewhere.ts'

export const documents = new Map(pages().map((page) => [page, blocksOf(page)]))

export const isElsewhere = (block: Block) => ELSEWHERE.some((entry) => isOf(entry, block))

/** Blocks of a page that a reader types, saves or compares with output. */
export const readOf = (page: string) => documents.get(page)!.filter((block) => !isElsewhere(block))

export const textsOf = (page: string, language: string) =>
  documents.get(page)!.flatMap((block) => (block.language === language ? [block.text] : []))

/** Text of the first block of a page that contains the given text. */
export const blockWith = (page: string, text: string) =>
  documents.get(page)!.find((block) => block.text.includes(text))!.text

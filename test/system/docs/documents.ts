/** The pages that there are, each with its blocks. */
import { type Block, blocksOf, pages } from './blocks.ts'
import { ELSEWHERE, isOf } from './elsewhere.ts'

export const documents = new Map(pages().map((page) => [page, blocksOf(page)]))

export const isElsewhere = (block: Block) => ELSEWHERE.some((entry) => isOf(entry, block))

/** What a reader types, saves or compares, of a page. */
export const readOf = (page: string) => documents.get(page)!.filter((block) => !isElsewhere(block))

/** The blocks of a page in a language. */
export const textsOf = (page: string, language: string) =>
  documents.get(page)!.flatMap((block) => (block.language === language ? [block.text] : []))

/** The block of a page that has this text. */
export const blockWith = (page: string, text: string) =>
  documents.get(page)!.find((block) => block.text.includes(text))!.text

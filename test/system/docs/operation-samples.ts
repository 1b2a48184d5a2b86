/** Validates the API samples in the documentation against the served OpenAPI descriptions. */
import { z } from 'zod'
import type { Block } from './blocks.ts'

type Described = { paths: Record<string, Record<string, any>>; components?: unknown }

/** @returns the mismatches between a page's samples and the description; empty if every sample is valid */
export function misdescribed(blocks: Block[], document: Described): string[] {
  const faults: string[] = []
  let operation: any
  for (const { page, line, language, text, heading } of blocks) {
    const fault = (what: string) => faults.push(`${page}:${line} ${what}`)
    const [, method = '', path = ''] = /^`([A-Z]+) (\S+)`$/.exec(heading) ?? []
    operation = document.paths[path]?.[method.toLowerCase()]
    if (operation === undefined) {
      fault(`is of ${heading}, which is not described`)
      continue
    }
    const schemas =
      language === 'json'
        ? (operation.responses['200']?.content ?? operation.responses['201']?.content)
        : operation.requestBody?.content
    const schema = schemas?.['application/json']?.schema
    const written = language === 'json' ? text : /--json '(.*)'\n/s.exec(text)?.[1]
    if (written === undefined || schema === undefined) {
      if (language === 'text' && !text.startsWith('curl ')) fault('is no command')
      continue
    }
    const found = z.fromJSONSchema(inlined(schema, document)).safeParse(JSON.parse(written))
    if (!found.success) fault(z.prettifyError(found.error))
  }
  return faults
}

/** Resolves all references in a schema. */
export function inlined(schema: any, document: any): any {
  if (Array.isArray(schema)) return schema.map((each) => inlined(each, document))
  if (typeof schema !== 'object' || schema === null) return schema
  if (typeof schema.$ref === 'string') {
    let found = document
    for (const part of schema.$ref.replace('#/', '').split('/')) found = found[part]
    return inlined(found, document)
  }
  return Object.fromEntries(
    Object.entries(schema).map(([name, each]) => [name, inlined(each, document)]),
  )
}

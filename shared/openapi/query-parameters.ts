import type { z } from 'zod'
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts'

export function queryParameters(schema: z.ZodType): object[] {
  const { properties = {}, ...rest } = jsonSchemaOf(schema, 'input')
  const required = requiredIn(rest)
  return Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, { description, ...type }]) => ({
      name,
      in: 'query',
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: type,
    }),
  )
}

type Presence = { required?: string[]; anyOf?: Presence[]; allOf?: Presence[] }

/**
 * Returns the names of required parameters. For a field with several spellings, returns only the first one, because
 * OpenAPI parameters cannot express alternatives.
 */
function requiredIn({ required = [], anyOf = [], allOf = [] }: Presence): Set<string> {
  const parts = [...allOf, ...anyOf.slice(0, 1)]
  return new Set([...required, ...parts.flatMap((part) => [...requiredIn(part)])])
}

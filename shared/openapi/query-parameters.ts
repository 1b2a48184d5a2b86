import type { z } from 'zod'
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts'

/** The parameters of a query, one OpenAPI parameter each. */
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

/** Names that have to be there. Of several spellings it is the first: a parameter can not say `this or that`. */
function requiredIn({ required = [], anyOf = [], allOf = [] }: Presence): Set<string> {
  const parts = [...allOf, ...anyOf.slice(0, 1)]
  return new Set([...required, ...parts.flatMap((part) => [...requiredIn(part)])])
}

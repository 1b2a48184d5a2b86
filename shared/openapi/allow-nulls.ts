import type { JsonSchema } from './json-schema.ts'

/** A null field counts as absent. */
export function allowNulls(body: JsonSchema): JsonSchema {
  const { properties } = body
  if (typeof properties !== 'object' || properties === null) return body
  const required = requiredIn(body)
  const described = Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, field]) => [name, required.has(name) ? field : orNull(field)],
  )
  return { ...body, properties: Object.fromEntries(described) }
}

/**
 * Returns the names of fields that must not be null. Excludes required fields with several spellings: only one spelling
 * must be present, so the others may be null.
 */
function requiredIn({ required, allOf }: JsonSchema): Set<string> {
  const presences = (allOf ?? []) as { required?: string[] }[]
  return new Set([
    ...((required ?? []) as string[]),
    ...presences.flatMap((presence) => presence.required ?? []),
  ])
}

function orNull(field: JsonSchema): JsonSchema {
  const { type, anyOf } = field
  if (Array.isArray(anyOf)) return { ...field, anyOf: [...anyOf, { type: 'null' }] }
  return typeof type === 'string' ? { ...field, type: [type, 'null'] } : field
}

import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/**
 * Converts a zod schema to JSON Schema 2020-12, the dialect of OpenAPI 3.1.
 * @param io `input`: as sent, before defaults and transforms; `output`: as returned
 * @throws {Error} for a recursive schema: its references would point outside the document
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // Responses may gain fields, and a generated client must accept them.
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties
    },
  })
  if ('$defs' in rest) throw new Error('a recursive schema has no place in the description')
  return rest
}

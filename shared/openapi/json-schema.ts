import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/**
 * Converts a zod schema to JSON Schema 2020-12, the dialect of OpenAPI 3.1.
 * @param io `input` for values as they are sent, before defaults and transforms; `output` for values as they are
 * returned
 * @throws {Error} if the schema is recursive, because its references would point outside the document
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // Responses may gain fields in the future, and a generated client must accept these fields.
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties
    },
  })
  if ('$defs' in rest) throw new Error('a recursive schema is not supported in the API description')
  return rest
}

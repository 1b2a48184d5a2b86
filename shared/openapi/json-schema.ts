import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/**
 * Converts a schema to JSON Schema 2020-12, the dialect of OpenAPI 3.1.
 * @param io `input` for values before defaults and transforms, `output` for returned values
 * @throws {Error} if the schema is recursive, because its references would point outside the document
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // Allows unknown fields in responses. Responses may gain fields, which a generated client must accept.
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties
    },
  })
  if ('$defs' in rest) throw new Error('a recursive schema is not supported in the API description')
  return rest
}

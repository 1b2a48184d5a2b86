/** What a tool takes and gives, as the protocol's library wants it told. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { jsonSchemaOf } from '../../openapi/json-schema.ts'

/**
 * The schema as JSON Schema, as the API's own description has it: an answer may get more fields. The library checks nothing
 * by it: a tool reads its arguments itself, and so refuses them in the form of all its failures.
 */
export function advertised<Value>(
  schema: z.ZodType<Value>,
): StandardSchemaWithJSON<unknown, unknown> {
  const { vendor, version } = schema['~standard']
  return {
    '~standard': {
      vendor,
      version,
      validate: (value) => ({ value }),
      jsonSchema: {
        input: () => jsonSchemaOf(schema, 'input'),
        output: () => jsonSchemaOf(schema, 'output'),
      },
    },
  }
}

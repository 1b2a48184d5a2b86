/** Query parameters that search the run history by values that no index contains. */
import { z } from 'zod'
import { RUN_SEARCH_TEXT_MAX_CHARACTERS } from '../limits.ts'

const text = z
  .string()
  .min(1)
  .max(RUN_SEARCH_TEXT_MAX_CHARACTERS)
  .refine((value) => !value.includes('\0'), { error: 'must not contain NUL' })

const HEADER = /^([A-Za-z0-9_-]{1,64}):(.*)$/s
const PARAM = /^([^=]+)=(.*)$/s

export const errorText = text.describe(
  'Only failed runs whose error contains this text, in any case.',
)

const HEADER_DESCRIPTION =
  'Webhooks: only runs whose header has this value, as name:value. Masked headers never match.'
export const headerText = text
  .refine((value) => HEADER.test(value), {
    error: 'expected name:value, such as x-github-event:push',
  })
  .describe(HEADER_DESCRIPTION)

const PARAM_DESCRIPTION =
  'Only runs whose input has this value at this path, as path=value, such as event.customer.id=42. ' +
  'Strings are compared as they are, other scalars by their JSON text.'
export const paramText = text
  .refine((value) => PARAM.test(value), {
    error: 'expected path=value, such as event.customer.id=42',
  })
  .describe(PARAM_DESCRIPTION)

export const runSearchFields = {
  error: errorText.optional(),
  header: headerText
    .transform((value) => {
      const [, name, expected] = HEADER.exec(value)!
      return { name: name!.toLowerCase(), value: expected!.trim() }
    })
    .meta({ description: HEADER_DESCRIPTION })
    .optional(),
  param: paramText
    .transform((value) => {
      const [, path, expected] = PARAM.exec(value)!
      return { path: path!.split('.'), value: expected! }
    })
    .meta({ description: PARAM_DESCRIPTION })
    .optional(),
}

export type RunSearch = {
  error?: string | undefined
  header?: { name: string; value: string } | undefined
  /** `path` are the names of nested members, or the positions of array elements. */
  param?: { path: string[]; value: string } | undefined
}

export function isSearch({ error, header, param }: RunSearch): boolean {
  return error !== undefined || header !== undefined || param !== undefined
}

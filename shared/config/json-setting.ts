import { z } from 'zod'

/** Parses a setting that contains JSON text. Undefined if the setting is absent or empty. */
export const jsonSetting = z
  .string()
  .optional()
  .transform((text, context): unknown => {
    if (text === undefined || text.trim() === '') return undefined
    try {
      return JSON.parse(text)
    } catch {
      // Omits the error of `JSON.parse`, because it quotes the setting, which may contain a secret.
      context.addIssue({ code: 'custom', message: 'expected JSON' })
      return z.NEVER
    }
  })

import { z } from 'zod'

/**
 * Well-formed Unicode text. Lone surrogates are rejected, because the contract and CIDs use UTF-8, which cannot encode
 * them.
 */
export const text = z.string().refine((value) => value.isWellFormed(), {
  error: 'expected well-formed Unicode, without lone surrogates',
})

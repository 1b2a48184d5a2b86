import { z } from 'zod'

/** Text without lone surrogates. The contract and CIDs use UTF-8, which cannot encode lone surrogates. */
export const textSchema = z.string().refine((value) => value.isWellFormed(), {
  error: 'expected well-formed Unicode, without lone surrogates',
})

export const timeText = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' })

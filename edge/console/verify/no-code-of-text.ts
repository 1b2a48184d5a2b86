import { z } from 'zod'

/**
 * Before any schema is made, which tries it: the page's policy forbids to make code of text, and browsers report the
 * attempt.
 */
z.config({ jitless: true })

import { z } from 'zod'

/**
 * Must run before the first schema is created, which otherwise tries to compile code from text. The page's content
 * security policy forbids that, and browsers report the attempt.
 */
z.config({ jitless: true })

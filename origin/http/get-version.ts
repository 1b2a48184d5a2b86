import { z } from 'zod'
import { API_VERSION, VERSION } from '../version.ts'
import type { Operation } from './operation.ts'

export const getVersion: Operation = {
  method: 'GET',
  path: '/core/v1/version',
  summary: 'Which software answers, and which version of the API it serves.',
  auth: 'none',
  answer: z.object({ version: z.string(), api_version: z.string() }),
  handle: async () => ({ version: VERSION, api_version: API_VERSION }),
}

import { z } from 'zod'
import { API_VERSION, VERSION } from '../version.ts'
import type { Operation } from './operation.ts'

export const getVersionOperation: Operation = {
  method: 'GET',
  path: '/core/v1/version',
  summary: 'Returns the versions of the software and of the API.',
  auth: 'none',
  responseSchema: z.object({ version: z.string(), api_version: z.string() }),
  handle: async () => ({ version: VERSION, api_version: API_VERSION }),
}

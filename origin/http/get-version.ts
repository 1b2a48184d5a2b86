import { z } from 'zod'
import { buildFields } from '../../shared/wire/build.ts'
import { API_VERSION } from '../version.ts'
import type { Operation } from './operation.ts'

export const getVersionOperation: Operation = {
  method: 'GET',
  path: '/core/v1/version',
  summary:
    'Returns the versions of the software and of the API, and the commit of the source code.',
  auth: 'none',
  responseSchema: z.object({ ...buildFields, api_version: z.string() }),
  handle: async (_given, { build }) => ({ ...build, api_version: API_VERSION }),
}

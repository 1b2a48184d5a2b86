import { MODE_PSK } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import type { LogLine } from '../../shared/wire/log-line.ts'
import {
  LOGS_LINES_MAX,
  type LogsRequest,
  logsRequestSchema,
  type LogsResponse,
  SEALED_LOGS_PATH,
} from '../../shared/wire/sealed-logs.ts'
import type { SealedOperation } from './sealed.ts'

/** A replayed request is answered, too, because it changes nothing. */
export const sealedLogsOperation: SealedOperation<LogsRequest> = {
  path: SEALED_LOGS_PATH,
  schema: logsRequestSchema,
  isOfEdge: true,
  handle: async ({ runs }, mode, { executions }): Promise<LogsResponse> => {
    if (mode !== MODE_PSK)
      throw new ApiError(
        403,
        'Only the edge can read the output of runs.',
        'Get the run from the edge.',
      )
    const lines: Record<string, LogLine[]> = {}
    for (const { run_id, from } of runs) {
      const printed = executions.logsOf(run_id)
      if (printed) lines[run_id] = printed.slice(from, from + LOGS_LINES_MAX)
    }
    return { state: 'known', lines }
  },
}

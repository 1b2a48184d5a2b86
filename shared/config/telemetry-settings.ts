/** Settings of the export to an OpenTelemetry collector, under the standard names. */
import { z } from 'zod'
import { parseExporterHeaders } from '../telemetry/collector.ts'
import { ENVIRONMENTS, type EnvironmentName } from './environments.ts'
import type { SettingFault } from './parse-settings.ts'
import { SETTINGS } from './settings.ts'

const HEADERS_MAX_CHARACTERS = 4_096

/** @param serviceName default of `OTEL_SERVICE_NAME` */
export const telemetrySettings = (serviceName: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(SETTINGS, {
      meaning:
        'base URL of a collector that gets traces and logs by OTLP over HTTP in JSON, at `/v1/traces` and `/v1/logs` below it ([operate.md](operate.md#opentelemetry))',
      default: 'none: nothing is recorded or exported',
      secret: 'if the URL contains a key',
      production: '`http`',
    }),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .max(HEADERS_MAX_CHARACTERS)
    .transform((text, context) => {
      const headers = parseExporterHeaders(text)
      if (headers) return headers
      context.addIssue({
        code: 'custom',
        message: 'expected name=value pairs, separated by commas, with values in percent encoding',
      })
      return z.NEVER
    })
    .optional()
    .register(SETTINGS, {
      meaning:
        'headers of requests to the collector: `name=value` pairs, separated by commas, with values in percent encoding, such as `authorization=Bearer%20abc`',
      secret: true,
    }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.[0-9]{1,6})?|1(\.0{1,6})?)$/, 'expected a number from 0 to 1')
    .default('1')
    .transform(Number)
    .register(SETTINGS, {
      meaning:
        'share of traces that are recorded, 0 to 1. 0 exports only logs. A process that continues a trace of the other service uses its decision',
    }),
  OTEL_SERVICE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected 1 to 64 letters, digits, dots, - or _')
    .default(serviceName)
    .register(SETTINGS, { meaning: '`service.name` of the exported traces and logs' }),
})

export type TelemetrySettings = z.output<z.ZodObject<ReturnType<typeof telemetrySettings>>>

export function* telemetrySettingProblems({
  SVC_ENV,
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
}: Partial<TelemetrySettings> & { SVC_ENV?: EnvironmentName | undefined }): Iterable<SettingFault> {
  if (endpoint === undefined) {
    if (headers !== undefined)
      yield ['OTEL_EXPORTER_OTLP_HEADERS', 'requires OTEL_EXPORTER_OTLP_ENDPOINT']
    return
  }
  if (SVC_ENV && ENVIRONMENTS[SVC_ENV].isPublic && !endpoint.startsWith('https:'))
    yield ['OTEL_EXPORTER_OTLP_ENDPOINT', `must be https in ${SVC_ENV}`]
}

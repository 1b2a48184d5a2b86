import type { TestProject } from 'vitest/node'
import type { Provided } from '../edge/provided.d.ts'
import { startOtlpCollectors } from './otlp-collector.ts'

/** OpenTelemetry collectors for tests in workerd. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const collectors = await startOtlpCollectors()
  const { otlpCollectors }: Pick<Provided, 'otlpCollectors'> = { otlpCollectors: collectors.url }
  project.provide('otlpCollectors', otlpCollectors)
  return collectors.close
}

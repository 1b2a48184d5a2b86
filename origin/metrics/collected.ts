/** Metrics whose series are computed on each request. */
import { Counter, Gauge, type Registry } from 'prom-client'

type Series = Iterable<readonly [labels: Record<string, string>, value: number]>
type Metric = { name: string; help: string; labelNames: string[] }

export function collectGauge(registry: Registry, metric: Metric, read: () => Series): void {
  const made = new Gauge({
    ...metric,
    registers: [],
    collect() {
      this.reset()
      for (const [labels, value] of read()) this.set(labels, value)
    },
  })
  registry.registerMetric(made)
}

export function collectCounter(registry: Registry, metric: Metric, read: () => Series): void {
  const made = new Counter({
    ...metric,
    registers: [],
    collect() {
      this.reset()
      for (const [labels, value] of read()) this.inc(labels, value)
    },
  })
  registry.registerMetric(made)
}

import type { Registry } from 'prom-client'
import { type NodeStatus, SUBJECTS } from '../accounts/nodes/chain-nodes.ts'
import { collectCounter, collectGauge } from './collected.ts'

type NodesOfChain = { labels: Record<string, string>; nodes: readonly NodeStatus[] }

/**
 * Registers the metrics of chain nodes. The label `node` is the position in the setting.
 *
 * @param prefix beginning of each name
 * @param of chain or chains, for the help texts
 * @param labelNames names of the labels that `read` returns for each chain
 */
export function registerNodeMetrics(
  registry: Registry,
  prefix: string,
  of: string,
  labelNames: readonly string[],
  read: () => readonly NodesOfChain[],
): void {
  const metric = (suffix: string, help: string, ...more: string[]) => ({
    name: `${prefix}_${suffix}`,
    help: `Nodes of the ${of}: ${help}`,
    labelNames: [...labelNames, 'node', ...more],
  })
  const eachNode = <T>(seriesOf: (status: NodeStatus, labels: Record<string, string>) => T[]) =>
    read().flatMap(({ labels, nodes }) =>
      nodes.flatMap((status) => seriesOf(status, { ...labels, node: String(status.node) })),
    )
  const gaugeOf = (value: (status: NodeStatus) => number | undefined) => () =>
    eachNode((status, labels) => {
      const number = value(status)
      return number === undefined ? [] : [[labels, number] as const]
    })
  collectGauge(
    registry,
    metric('up', '1 if the node responds.'),
    gaugeOf(({ isUp }) => (isUp === undefined ? undefined : isUp ? 1 : 0)),
  )
  collectGauge(
    registry,
    metric('lag_blocks', 'blocks between the node’s head and the highest block of the quorum.'),
    gaugeOf(({ lagBlocks }) => lagBlocks),
  )
  collectCounter(registry, metric('failures_total', 'failed requests.'), () =>
    eachNode(({ failures }, labels) => [[labels, failures] as const]),
  )
  collectCounter(
    registry,
    metric(
      'disagreements_total',
      'responses that contradicted the quorum, or all nodes without a quorum.',
      'about',
    ),
    () =>
      eachNode(({ disagreements }, labels) =>
        SUBJECTS.map((about) => [{ ...labels, about }, disagreements.get(about) ?? 0] as const),
      ),
  )
}

/** Layout of the permission diagram: usage keys and actions on the left, groups in the middle, wallets on the right. */
import { WILDCARD } from '../../../../shared/cid/wildcard.ts'
import {
  canExecuteIn,
  nameOfAction,
  nameOfGroup,
  nameOfWallet,
  displayName,
  type Permissions,
} from '../permissions.ts'

export type NodeKind = 'key' | 'action' | 'group' | 'wallet'
/** Coordinates are in SVG units. `isWide` is true for a wildcard. */
export type DiagramNode = {
  id: string
  kind: NodeKind
  text: string
  isWide: boolean
  x: number
  y: number
}
export type DiagramLine = { from: DiagramNode; to: DiagramNode; kind: 'executes' | 'runs' | 'uses' }
type DiagramLayout = {
  nodes: DiagramNode[]
  lines: DiagramLine[]
  width: number
  height: number
}

export const NODE_SIZE = { width: 200, height: 36, gap: 12 } as const
const COLUMNS = { left: 4, middle: 276, right: 548 } as const
const SECTION_GAP = 40
const HEADING_HEIGHT = 28
const WIDTH = COLUMNS.right + NODE_SIZE.width + 4

export function diagramLayout(permissions: Permissions): DiagramLayout {
  const { groups, keys } = permissions
  const actionIds = unique(groups.flatMap((group) => group.cid_hashes_permitted))
  const walletIds = unique(groups.flatMap((group) => group.pkp_ids_permitted))

  const executing = keys.filter((key) => groups.some((group) => canExecuteIn(key, group)))
  const keyNodes = executing.map((key, i) =>
    node('key', key.api_key_hash, displayName(key.name), key.execute_in_groups.includes(0), i),
  )
  const actionsFrom = keyNodes.length === 0 ? 0 : heightOf(keyNodes.length) + SECTION_GAP
  const actionNodes = actionIds.map((id, i) =>
    node('action', id, nameOfAction(id, permissions), id === WILDCARD, i, actionsFrom),
  )
  const groupNodes = groups.map((group, i) =>
    node('group', String(group.group_id), nameOfGroup(group), false, i),
  )
  const walletNodes = walletIds.map((id, i) =>
    node('wallet', id, nameOfWallet(id, permissions), id === WILDCARD, i),
  )
  const lines = groups.flatMap((group, i) => {
    const at = groupNodes[i]!
    const executes = executing.flatMap((key, k) =>
      canExecuteIn(key, group) ? [{ from: keyNodes[k]!, to: at, kind: 'executes' } as const] : [],
    )
    const runs = actionNodes
      .filter(({ id }) => group.cid_hashes_permitted.includes(id))
      .map((from) => ({ from, to: at, kind: 'runs' }) as const)
    const uses = walletNodes
      .filter(({ id }) => group.pkp_ids_permitted.includes(id))
      .map((to) => ({ from: at, to, kind: 'uses' }) as const)
    return [...executes, ...runs, ...uses]
  })
  const nodes = [...keyNodes, ...actionNodes, ...groupNodes, ...walletNodes]
  const height = Math.max(...nodes.map(({ y }) => y)) + NODE_SIZE.height + 4
  return { nodes, lines, width: WIDTH, height }
}

const unique = (ids: string[]) => [...new Set(ids)]

const heightOf = (count: number) => count * (NODE_SIZE.height + NODE_SIZE.gap) - NODE_SIZE.gap

function node(
  kind: NodeKind,
  id: string,
  text: string,
  isWide: boolean,
  index: number,
  from = 0,
): DiagramNode {
  const x = kind === 'group' ? COLUMNS.middle : kind === 'wallet' ? COLUMNS.right : COLUMNS.left
  return {
    id,
    kind,
    text,
    isWide,
    x,
    y: HEADING_HEIGHT + from + index * (NODE_SIZE.height + NODE_SIZE.gap),
  }
}

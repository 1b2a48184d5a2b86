import {
  keysOfGroup,
  nameOfAction,
  nameOfGroup,
  nameOfWallet,
  displayName,
  type Permissions,
} from '../permissions.ts'
import {
  type NodeKind,
  diagramLayout,
  type DiagramLine,
  NODE_SIZE,
  type DiagramNode,
} from './layout.ts'

const TEXT_MAX = 22

const HEADINGS: Record<NodeKind, string> = {
  key: 'Usage keys',
  action: 'Actions',
  group: 'Groups',
  wallet: 'Wallets',
}

export const PermissionDiagram = ({ permissions }: { permissions: Permissions }) => {
  const { nodes, lines, width, height } = diagramLayout(permissions)
  return (
    <figure class="picture">
      <div class="scrolled" tabindex={0} role="region" aria-label="Permission diagram">
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label="Lines connect usage keys and actions to groups, and groups to wallets. The table below has the same content."
        >
          {firstOfEachKind(nodes).map(({ kind, x, y }) => (
            <text class="heading" x={x} y={y - 10} key={kind}>
              {HEADINGS[kind]}
            </text>
          ))}
          {lines.map((line) => (
            <path
              class={line.kind}
              d={pathOf(line)}
              key={`${line.kind}${line.from.id}${line.to.id}`}
            />
          ))}
          {nodes.map((node) => (
            <Box node={node} key={node.kind + node.id} />
          ))}
        </svg>
      </div>
      <figcaption>
        <p class="note">
          Solid line: the action can run in the group and use its wallets. Dashed line: the usage
          key can execute in the group. Double frame: all objects of this kind.
        </p>
        <details>
          <summary>Show as a table</summary>
          <Table permissions={permissions} />
        </details>
      </figcaption>
    </figure>
  )
}

function firstOfEachKind(nodes: DiagramNode[]): DiagramNode[] {
  return nodes.filter((node, i) => nodes.findIndex(({ kind }) => kind === node.kind) === i)
}

const Box = ({ node: { kind, text, isWide, x, y } }: { node: DiagramNode }) => (
  <g class={`node ${kind}${isWide ? ' wide' : ''}`}>
    <title>{text}</title>
    <rect
      x={x}
      y={y}
      width={NODE_SIZE.width}
      height={NODE_SIZE.height}
      rx={kind === 'group' ? 18 : 6}
    />
    {isWide && (
      <rect x={x + 3} y={y + 3} width={NODE_SIZE.width - 6} height={NODE_SIZE.height - 6} rx={4} />
    )}
    {/* A nested <svg> clips wide characters at the edge of the node. */}
    <svg x={x + 14} y={y} width={NODE_SIZE.width - 22} height={NODE_SIZE.height}>
      <text y={23}>{text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text}</text>
    </svg>
  </g>
)

function pathOf({ from, to }: DiagramLine): string {
  const [x1, y1] = [from.x + NODE_SIZE.width, from.y + NODE_SIZE.height / 2]
  const [x2, y2] = [to.x, to.y + NODE_SIZE.height / 2]
  const bend = (x2 - x1) / 2
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

const Table = ({ permissions }: { permissions: Permissions }) => (
  <div class="scrolled" tabindex={0} role="region" aria-label="Permissions">
    <table>
      <thead>
        <tr>
          <th scope="col">Group</th>
          <th scope="col">Permitted actions</th>
          <th scope="col">Permitted wallets</th>
          <th scope="col">Usage keys that can execute</th>
        </tr>
      </thead>
      <tbody>
        {permissions.groups.map((group) => (
          <tr key={group.group_id}>
            <th scope="row">
              <bdi>{nameOfGroup(group)}</bdi>
            </th>
            <Names of={group.cid_hashes_permitted.map((id) => nameOfAction(id, permissions))} />
            <Names of={group.pkp_ids_permitted.map((id) => nameOfWallet(id, permissions))} />
            <Names of={keysOfGroup(group, permissions).map(({ name }) => displayName(name))} />
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Names = ({ of }: { of: string[] }) => (
  <td>
    {of.length === 0
      ? 'none'
      : of.map((name, i) => (
          <>
            {i > 0 && ', '}
            <bdi>{name}</bdi>
          </>
        ))}
  </td>
)

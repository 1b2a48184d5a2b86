import type { FC } from 'hono/jsx'
import { type Explorers, explorerUrl } from '../../../shared/wire/public-chains.ts'
import { UserText } from './user-text.tsx'

type ExplorerIdProps = {
  explorers: Explorers
  chainId: number
  kind: 'tx' | 'address'
  id: string
}

/** A hash or an address, with a link to the explorer of its chain if there is one. */
export const ExplorerId: FC<ExplorerIdProps> = ({ explorers, chainId, kind, id }) => {
  const url = explorerUrl(chainId, kind, id, explorers)
  const text = (
    <code>
      <UserText text={id} />
    </code>
  )
  return url === undefined ? (
    text
  ) : (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  )
}

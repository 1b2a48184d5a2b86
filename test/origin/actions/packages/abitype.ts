import { defineAction } from '@svc-run/cli/action'
import { formatAbiItem, parseAbiItem } from 'abitype'

export default defineAction(() => {
  const item = parseAbiItem('function transfer(address to, uint256 amount) returns (bool)')
  return { inputs: item.inputs.map(({ name, type }) => [name, type]), text: formatAbiItem(item) }
})

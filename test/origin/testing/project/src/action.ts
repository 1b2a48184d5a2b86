import { checked } from './check.ts'

type Params = { amount: number }

export default async function main({ amount }: Params) {
  return { amount: checked(amount) }
}

import { Agent } from 'undici'
export const main = () => new Agent()

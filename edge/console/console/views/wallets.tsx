import type { View } from '../view.ts'

export const WalletsView: View = () => null

import type { View } from '../view.ts'

export const KeysView: View = () => null

import { Material, Mesh, type Object3D } from "three";

/** Takes something out of the picture for good: what it keeps on the graphics card goes with it. */
export function discard(object: Object3D): void {
  object.removeFromParent();
  object.traverse((part) => {
    const { geometry, material } = part as Mesh;
    geometry?.dispose();
    if (material instanceof Material) material.dispose();
  });
}

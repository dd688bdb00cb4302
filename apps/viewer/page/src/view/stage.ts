import {
  AmbientLight, Box3, Color, DirectionalLight, GridHelper, Group, HemisphereLight, PerspectiveCamera,
  Scene, Sphere, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { notice } from "../controls/notices";
import { themeColour } from "../dom";
import { discard } from "./discard";

/** Camera, lights, floor grid and the drawing of one picture. */
export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.001, 100);
  readonly renderer: WebGLRenderer;
  orbit: OrbitControls;
  /** Extent of what is shown [m]; sizes of arrows and handles follow it. */
  readonly extent = new Sphere(new Vector3(), 0.1);
  /** Called when the person chooses another part of the scene to look at. */
  onChosenView = (): void => {};
  /** The person moves the camera right now. */
  isTurned = false;
  private readonly sun = new DirectionalLight(0xffffff, 1.9);
  private readonly fill = new DirectionalLight(0xffffff, 0.5);
  private readonly floor = new Group();
  private isChanged = true;
  private covered = 0;
  private readonly up = new Vector3(0, 0, 1);

  constructor(private readonly canvas: HTMLCanvasElement) {
    if (!document.createElement("canvas").getContext("webgl2")) {
      notice("This browser draws no WebGL 2: switch on its graphics acceleration.", "bad", Infinity);
    }
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.localClippingEnabled = true;
    this.orbit = this.newOrbit();
    this.scene.add(new HemisphereLight(0xffffff, 0x8c95a3, 1.15), new AmbientLight(0xffffff, 0.25));
    this.camera.add(this.sun, this.fill);
    this.sun.position.set(0.5, 1.1, 0.9);
    this.fill.position.set(-1, -0.2, 0.4);
    this.scene.add(this.camera, this.floor);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  /** Looks at these bodies with `up` upwards; called once per scene. */
  frame(box: Box3, up: Vector3): void {
    this.up.copy(up);
    this.camera.up.copy(up);
    this.orbit.dispose();
    this.orbit = this.newOrbit();
    box.getBoundingSphere(this.extent);
    if (!(this.extent.radius > 0)) this.extent.radius = 0.1;
    this.layFloor(box);
    this.fit(this.extent);
  }

  /** All of this, from the front, a little from the right and above. */
  fit(what: Sphere): void {
    this.camera.near = what.radius / 100;
    this.camera.far = what.radius * 60;
    const front = Math.abs(this.up.z) > 0.9 ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1);
    const right = new Vector3().crossVectors(this.up, front).normalize();
    const from = front.addScaledVector(right, 0.62).addScaledVector(this.up, 0.42).normalize();
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    const distance = (what.radius / Math.sin(Math.atan(Math.tan(half) * narrow))) * 1.02;
    this.camera.position.copy(what.center).addScaledVector(from, distance);
    this.orbit.target.copy(what.center);
    this.camera.updateProjectionMatrix();
    this.orbit.update();
  }

  /** Something covers this much of the view from below [px]: the scene moves up into what is left. */
  coverBottom(height: number): void {
    this.covered = height;
    this.resize();
  }

  /** Turns the camera about its target [rad], or moves it nearer (factor below 1). */
  turn(azimuth: number, elevation: number): void {
    const offset = this.camera.position.clone().sub(this.orbit.target);
    const side = new Vector3().crossVectors(this.up, offset).normalize();
    const tilted = offset.clone().applyAxisAngle(side, -elevation);
    const angle = tilted.angleTo(this.up);
    if (angle > 0.05 && angle < Math.PI - 0.05) offset.copy(tilted);
    offset.applyAxisAngle(this.up, azimuth);
    this.camera.position.copy(this.orbit.target).add(offset);
    this.orbit.update();
  }

  zoom(factor: number): void {
    this.onChosenView();
    this.camera.position.sub(this.orbit.target).multiplyScalar(factor).add(this.orbit.target);
    this.orbit.update();
  }

  /** Moves the camera and what it looks at, and both away from each other (factor above 1). */
  shift(by: Vector3, factor: number): void {
    this.orbit.target.add(by);
    this.camera.position.add(by).sub(this.orbit.target).multiplyScalar(factor).add(this.orbit.target);
    this.orbit.update();
  }

  /** Draws, if anything has changed since. */
  render(): void {
    if (!this.isChanged) return;
    this.isChanged = false;
    this.renderer.render(this.scene, this.camera);
  }

  /** What is drawn has changed: the next picture differs. */
  touch(): void {
    this.isChanged = true;
  }

  /** Colours of the floor follow the theme. */
  retint(): void {
    this.touch();
    const line = new Color(themeColour("line")).lerp(new Color(themeColour("muted")), 0.35);
    this.floor.traverse((part) => {
      const material = (part as GridHelper).material;
      if (material && "color" in material) (material.color as Color).copy(line);
    });
  }

  /** The view as a picture, on the ground of the theme instead of through it. */
  async picture(): Promise<Blob> {
    this.touch();
    this.render();
    const flat = document.createElement("canvas");
    flat.width = this.canvas.width;
    flat.height = this.canvas.height;
    const pen = flat.getContext("2d")!;
    const ground = pen.createLinearGradient(0, 0, 0, flat.height);
    ground.addColorStop(0, themeColour("view-top"));
    ground.addColorStop(1, themeColour("view-bottom"));
    pen.fillStyle = ground;
    pen.fillRect(0, 0, flat.width, flat.height);
    pen.drawImage(this.canvas, 0, 0);
    return new Promise((done, failed) =>
      flat.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"));
  }

  /** Controls take their axis from the camera when they are made. */
  private newOrbit(): OrbitControls {
    const orbit = new OrbitControls(this.camera, this.canvas);
    orbit.rotateSpeed = 0.8;
    orbit.addEventListener("change", () => this.touch());
    // whoever pans or zooms has chosen what to look at; to look from elsewhere is no such choice
    const target = new Vector3();
    let distance = 0;
    orbit.addEventListener("start", () => {
      target.copy(orbit.target);
      distance = orbit.getDistance();
      this.isTurned = true;
    });
    orbit.addEventListener("end", () => {
      this.isTurned = false;
      const isSame = target.distanceTo(orbit.target) < 1e-6 * distance && Math.abs(orbit.getDistance() / distance - 1) < 1e-6;
      if (!isSame) this.onChosenView();
    });
    return orbit;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, 0, this.covered / 2, width, height);
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  private layFloor(box: Box3): void {
    for (const part of [...this.floor.children]) discard(part);
    // squares of 1, 2 or 5 times a power of ten, about twenty across
    const rough = (this.extent.radius * 4) / 20;
    const power = 10 ** Math.floor(Math.log10(rough));
    const square = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10);
    const grid = new GridHelper(square * 24, 24);
    grid.material.vertexColors = false;
    grid.material.transparent = true;
    grid.material.opacity = 0.5;
    grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), this.up);
    const low = Math.min(box.min.dot(this.up), box.max.dot(this.up));
    const centre = this.extent.center.clone();
    grid.position.copy(centre.addScaledVector(this.up, low - centre.dot(this.up) - this.extent.radius * 0.02));
    this.floor.add(grid);
    this.retint();
  }
}
